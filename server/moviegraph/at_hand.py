"""What ends an attempt to answer a call at once, where that would have to wait."""


class NotAtHand(BaseException):
    """Something is not at hand; no error, and nothing that handles errors may take it for one.

    Whoever made the attempt does the work anew, in a thread that may wait.
    """
