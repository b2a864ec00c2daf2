"""Ideas that films are searched by, where only the time of a search counts."""

IDEAS = (
    "a detective haunted by an old case",
    "robots that learn to love",
    "a road trip across America",
    "a heist that goes wrong",
    "growing up in wartime",
    "a haunted house in the country",
    "friends lost in space",
    "a chef who finds new courage",
    "a trial that divides a town",
    "a sports team of outsiders",
)
