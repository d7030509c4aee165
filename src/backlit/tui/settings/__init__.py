"""The screen with what a team agrees on: its calendar, statuses, scale, limits and readiness check."""
