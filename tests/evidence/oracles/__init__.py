"""Programs of the papers' equations, beside what our presets did."""
