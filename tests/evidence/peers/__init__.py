"""Other people's optimisers on our problems."""
