"""Plots of studies: what they show, apart from the library that draws them."""
