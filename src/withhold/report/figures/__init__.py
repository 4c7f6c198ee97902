"""Figures of the page, one idea a file, all drawn on `canvas.Canvas` as inline SVG."""
