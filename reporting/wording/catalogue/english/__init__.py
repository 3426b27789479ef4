"""The English texts: modules and keys as in `korean`."""
