"""What the clients do, as plans (see slipstream._calls.plan)."""
