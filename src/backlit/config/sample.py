"""Size and seed of the sample workspace, for the command line, whose `--help` loads no settings."""

DEMO_ITEMS = 500
DEMO_SEED = 1
