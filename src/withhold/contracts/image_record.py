"""What a record holds of images: averages over at least ten records, as PNG in base64."""

from pydantic import Field

from withhold.contracts.record import Record


class MeanImages(Record):
    """The mean image of the records of one class, before and after."""

    attribute: str
    level: str
    n: int
    raw: str
    release: str


class ImageComparison(Record):
    """What became of the images of a release, on average.

    Attributes
    ----------
    column : str
    n : int
        Records compared.
    change : float
        Mean absolute change of a pixel, as a share of the range of pixels.
    change_most : float
        The same for the place that changed most: white in `change_image`.
    change_image : str
        Mean absolute change, place by place; black: none.
    classes : list of MeanImages
        By class of the attributes to hide and to keep, where a class has enough records.

    Examples
    --------
    >>> seen = ImageComparison(column="image", n=500, change=0.02, change_most=0.3, change_image="iVBORw0KGgo=")
    >>> seen.classes
    []
    """

    column: str
    n: int
    change: float
    change_most: float
    change_image: str
    classes: list[MeanImages] = Field(default_factory=list)
