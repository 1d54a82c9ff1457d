"""What a program that a test starts does at AWS: see `sitecustomize`, which Python imports by itself."""
