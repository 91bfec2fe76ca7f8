if x:
    y
    # c