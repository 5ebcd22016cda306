import { createHash } from 'node:crypto'

// A change of either list changes the name of every visitor.
const ADJECTIVES = words(`
  Able Agile Airy Alert Amber Ample Apt Ashen Autumn Azure Balmy Blithe Bold Brave Breezy Brief Bright Brisk Bronze
  Calm Candid Careful Cheery Clear Clever Copper Coral Cosy Crimson Crisp Curious Dapper Daring Dawn Deft Dewy Eager
  Early Earnest Easy Fair Famous Fancy Fearless Fleet Fluent Fond Frank Free Fresh Friendly Frosty Gallant Gentle
  Gifted Glad Gleaming Golden Good Graceful Grand Great Green Handy Happy Hardy Hazel Hearty Honest Humble Indigo
  Ivory Jade Jaunty Jolly Jovial Joyful Keen Kind Lasting Lilac Lively Loyal Lucid Lucky Lunar Mellow Merry Mighty
  Mild Mint Misty Modest Mossy Neat Nimble Noble Olive Opal Open Patient Peaceful Pearl Plucky Polite Prime Proud
  Quick Quiet Ready Rosy Ruby Rustic Sage Sandy Serene Sharp Silent Silver Sleek Smooth Snowy Solar Spry Stable
  Steady Stellar Sturdy Sunny Swift Tidy Tranquil True Trusty Upbeat Velvet Vivid Warm Wise Witty Zesty
`)
const ANIMALS = words(`
  Albatross Alpaca Antelope Armadillo Auk Avocet Badger Barbet Bat Bear Beaver Bee Bison Bittern Bobcat Bongo Buffalo
  Bunting Buzzard Camel Caribou Cat Chamois Cheetah Chickadee Chinchilla Condor Cormorant Cougar Coyote Crab Crane
  Cricket Crow Curlew Deer Dingo Dolphin Dormouse Dove Dragonfly Duck Dunlin Eagle Egret Eland Elephant Elk Ermine
  Falcon Ferret Finch Firefly Flamingo Fox Frog Gannet Gazelle Gecko Gibbon Giraffe Goldfinch Goose Grebe Grouse Gull
  Hamster Hare Hawk Hedgehog Heron Hoopoe Horse Hummingbird Ibex Ibis Iguana Impala Jackdaw Jaguar Jay Kestrel
  Kingfisher Kite Kiwi Koala Kudu Lapwing Lark Lemur Leopard Linnet Lion Llama Loon Lynx Macaw Magpie Mallard Manatee
  Marmot Marten Meerkat Mink Mole Moose Moth Narwhal Newt Nightingale Ocelot Octopus Okapi Orca Oriole Oryx Osprey Otter
  Owl Panda Panther Parrot Partridge Pelican Penguin Petrel Pheasant Pigeon Pika Plover Puffin Puma Quail Rabbit Raccoon
  Raven Reindeer Robin Salmon Sandpiper Seal Serval Skylark Sparrow Squirrel Starling Stoat Stork Swallow Swan Swift
  Tapir Tern Thrush Tiger Toucan Turtle Walrus Warbler Weasel Whale Wolf Wombat Woodpecker Wren Yak Zebra
`)

/** Returns the name of an anonymous visitor, such as `Amber Falcon`: always the same for an id in upper or lower case. */
export function nicknameOf(visitorId: string): string {
  const hash = createHash('sha256').update(`nickname ${visitorId.toLowerCase()}`).digest()
  return `${pick(ADJECTIVES, hash.readUInt32BE(0))} ${pick(ANIMALS, hash.readUInt32BE(4))}`
}

const pick = (list: string[], number: number) => list[number % list.length]!

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
