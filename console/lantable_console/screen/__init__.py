"""The full screen: what line mode says, drawn at once and kept up to date.

state      what is shown, as frozen values, taken from a game, the lobby or a replay
frame      rows of cells cut to a width, and the whole screen as such rows
picture    a game's picture: a cursor that runs over the cells that start a move, and a window on what is too large
views      a value of `state` and a size in, a frame out
form       a game's options as something to choose from
svg        a frame as a picture file
keys       the keys of the command table, bound
app        the terminal, and trio as a guest on prompt_toolkit's loop

Up to `svg` all of it is pure: it is tried without a terminal, and a frame never depends on what was drawn before.
"""
