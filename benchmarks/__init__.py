"""What measures speed and memory; `python -m benchmarks` lists them."""
