import type { View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { type HitKeys, hitKeysOf } from './shared/hit-keys.ts'
import type { Place } from './shared/pages.ts'
import { isSeen, type Selected, select } from './shared/select.ts'

/** Where a title was seen last. */
export interface TitlePlace {
  title: string
  path: string
  hostname: string
}

/** Where titles were seen last. */
export interface TitlePlaces {
  found: TitlePlace[]
  /** Latest hits of the other titles, the newest first: several sessions saw these at one moment, and ids say which hit is the latest. */
  tied: HitKeys
}

/** Finds where each title was seen last: in the range; if only a session that started there saw it later, then. */
export function findTitlePlaces(
  view: View,
  question: Question,
  { titles }: { titles: string[] },
): TitlePlaces {
  const known = view.texts.of('title')
  const [paths, hostnames] = [view.texts.of('path'), view.texts.of('hostname')]
  const wanted = new Map(titles.map(title => [known.find(title), new Latest(title)]))
  const selected = select(view, question)
  for (const [block, of] of selected.entries()) {
    const { hits, inRange, started, isService } = of
    if (isService) continue
    for (let row = 0; row < hits.count; row++) {
      const isInRange = inRange[row] === 1
      if (!isInRange && (started[hits.session[row]!] === 0 || !isSeen(of, row))) continue
      wanted.get(hits.values.title[row])?.add(of, { block, row, at: hits.at[row]! }, isInRange)
    }
  }
  const found: TitlePlace[] = []
  const tied: Place[] = []
  for (const { title, places } of wanted.values()) {
    const pages = places.map(({ block, row }) => {
      const { path, hostname } = selected[block]!.hits.values
      return { title, path: paths.text(path[row]!), hostname: hostnames.text(hostname[row]!) }
    })
    const [first] = pages
    if (!first) continue
    const isOne = pages.every(({ path, hostname }) => path === first.path && hostname === first.hostname)
    if (isOne) found.push(first)
    else tied.push(...places)
  }
  tied.sort((a, b) => b.at - a.at)
  return { found, tied: hitKeysOf(selected, tied) }
}

/** Collects the latest hits of a title, one of each session. */
class Latest {
  readonly title: string
  places: Place[] = []
  #isInRange = false

  constructor(title: string) {
    this.title = title
  }

  add({ hits: { session } }: Selected, place: Place, isInRange: boolean): void {
    const last = this.places.at(-1)
    const isLater = !last || (isInRange === this.#isInRange ? place.at > last.at : isInRange)
    if (isLater) {
      this.places = [place]
      this.#isInRange = isInRange
    } else if (isInRange === this.#isInRange && place.at === last.at) {
      // Those of a session are in the order of their ids.
      if (last.block === place.block && session[last.row] === session[place.row]) this.places.pop()
      this.places.push(place)
    }
  }
}
