"""Templates of the reports; this package exists so that an installed copy carries them."""
