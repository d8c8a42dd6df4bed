"""256 short words, one a byte, so that people can compare keys aloud.

Chosen to differ in sound and spelling; the list never changes, since other versions must say the same words
(golden vectors in tests/).
"""

from typing import Final

WORDS: Final[tuple[str, ...]] = tuple(
    """
    acid acorn actor adobe alarm album alley amber anchor angel ankle apple apron arrow aspen atlas
    attic autumn badge bagel bamboo banjo barley basil basket beach beaver bell berry birch bison blanket
    bonfire book bottle brass bread bridge bronze brook bucket buffalo bugle butter cabin cactus camel candle
    canoe canyon carpet carrot castle cedar cello cherry chess chimney cider cinema circus clay clock cloud
    clover cobra coffee comet copper coral cork cotton cougar cradle crater crow crystal cup daisy dawn
    desert diamond dinner dolphin donkey door dragon drum duck eagle echo eclipse elbow elder ember engine
    falcon feather fennel fern fiddle finch fjord flag flint flute forest fossil fox frost garden garlic
    gecko geyser ginger glacier globe goat gong gravel guitar hammer harbor harp hazel hedge helmet heron
    hill honey horizon hotel husky ice igloo indigo island ivory ivy jacket jaguar jelly jigsaw juniper
    kayak kettle kitten kiwi koala ladder lagoon lamp lantern lark lava lemon lentil library lilac linen
    lion lizard lobster lotus lynx magnet mango maple marble meadow melon meteor mint mirror mole moose
    mosaic motor mountain mouse museum napkin nectar needle nest nickel noodle nutmeg oak oasis oat ocean
    octopus olive onion opal orange orchid otter owl oyster paddle palace panda panther paper parrot peach
    pearl pebble pelican pencil pepper piano pickle pigeon pillow pine pirate planet plum pony poppy potato
    prairie puzzle pyramid quartz quill rabbit radar radish raft rain raven ribbon river robin rocket rose
    ruby saddle saffron salmon sand sapphire satin saturn scarf school seal shadow shell silver snow soup
    """.split()
)
assert len(WORDS) == len(set(WORDS)) == 256, len(WORDS)  # noqa: S101 - a wrong list must never start


def spoken(data: bytes) -> str:
    """One word a byte, joined by hyphens: `spoken(b"\\0\\1") == "acid-acorn"`."""
    return "-".join(WORDS[byte] for byte in data)
