"""Workers and schedulers: how they register and beat, how far they keep jobs apart, and what troubles them."""
