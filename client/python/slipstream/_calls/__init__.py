"""Makes calls with deadlines and retries, for the blocking and the asyncio client alike."""
