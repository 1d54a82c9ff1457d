"""The figures of this product, as ratios in one run; nothing here is deployed."""
