import { LRUCache } from 'lru-cache'
import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { digestOf } from '../rollups/daily/value-dictionary.ts'

// Sources are one whatever their case (docs/metrics.md "Source"): a site's first spelling counts, or that of the list of known sources.

interface Row {
  siteNo: number
  digest: string
  spellings: string[]
}

const readSpellings = query<{ siteNos: number[]; digests: string[] }, Row>(
  'read-source-spellings',
  `select site_no as "siteNo", sha256 as digest, spellings
  from source_spellings
  join unnest(:siteNos::int[], :digests::uuid[]) as asked (site_no, sha256) using (site_no, sha256)`,
)

interface Added {
  siteNos: number[]
  digests: string[]
  sources: string[]
}

/** Waits for another transaction that adds the same source. Inserts in one order, to avoid deadlocks. */
const ADD = `
  insert into source_spellings (site_no, sha256, spellings)
  select site_no, sha256, array[source]
  from unnest(:siteNos::int[], :digests::uuid[], :sources::text[]) as added (site_no, sha256, source)
  order by 1, 2
  on conflict (site_no, sha256)`

const addFirst = query<Added>('add-first-spellings', `${ADD} do nothing`)

/** Puts the listed spelling before those that sessions are already stored with. */
const addListed = query<Added>(
  'add-listed-spellings',
  `${ADD} do update
  set spellings = excluded.spellings || array_remove(source_spellings.spellings, excluded.spellings[1])`,
)

const foldedDigest = (source: string): string => digestOf(source.toLowerCase())

/** Maximum cached sources of all sites; a first spelling changes when the list has another, or its sessions are gone. */
const CACHED = 50_000
const caches = new WeakMap<Db, LRUCache<string, string>>()

function cacheOf(db: Db): LRUCache<string, string> {
  const cache = caches.get(db) ?? new LRUCache({ max: CACHED })
  caches.set(db, cache)
  return cache
}

interface SiteSource {
  siteNo: number
  source: string
}

const keyOf = ({ siteNo, source }: SiteSource): string => `${siteNo}/${source}`

/**
 * Returns the spelling that sessions get for a source. Nearly always all are cached, which takes no statement.
 * @param tx the transaction of `db` that stores the sources; it keeps new spellings
 * @param sources in the order in which they count
 * @param isListed whether a source is spelled as in the list of known sources
 * @returns `spellingOf`, for the given sources; `commit` must be called after the commit
 */
export async function unifySpellings(
  db: Db,
  tx: Queryable,
  sources: readonly SiteSource[],
  isListed: (source: string) => boolean,
): Promise<{ spellingOf: (source: SiteSource) => string; commit: () => void }> {
  const cache = cacheOf(db)
  const found = new Map<string, string>()
  const open = new Map<string, SiteSource & { digest: string }>()
  for (const given of sources) {
    const key = keyOf(given)
    if (found.has(key) || open.has(key)) continue
    const cached = cache.get(key)
    if (cached !== undefined) found.set(key, cached)
    else open.set(key, { siteNo: given.siteNo, source: given.source, digest: foldedDigest(given.source) })
  }
  const decide = async () => {
    if (open.size === 0) return
    const waiting = [...open.values()]
    const rows = await readSpellings(tx, {
      siteNos: waiting.map(({ siteNo }) => siteNo),
      digests: waiting.map(({ digest }) => digest),
    })
    const firsts = new Map(rows.map(row => [`${row.siteNo}/${row.digest}`, row.spellings[0]!]))
    for (const each of waiting) {
      const first = firsts.get(`${each.siteNo}/${each.digest}`)
      if (first === undefined || (isListed(each.source) && first !== each.source)) continue
      found.set(keyOf(each), first)
      open.delete(keyOf(each))
    }
  }
  await decide()
  if (open.size > 0) {
    const missing = [
      ...new Map([...open.values()].reverse().map(each => [`${each.siteNo}/${each.digest}`, each])).values(),
    ]
    for (const [add, ofKind] of [
      [addListed, missing.filter(({ source }) => isListed(source))],
      [addFirst, missing.filter(({ source }) => !isListed(source))],
    ] as const) {
      if (ofKind.length === 0) continue
      await add(tx, {
        siteNos: ofKind.map(({ siteNo }) => siteNo),
        digests: ofKind.map(({ digest }) => digest),
        sources: ofKind.map(({ source }) => source),
      })
    }
    await decide()
  }
  return {
    spellingOf: given => found.get(keyOf(given)) ?? given.source,
    commit: () => {
      for (const [key, spelling] of found) cache.set(key, spelling)
    },
  }
}

const deleteUnused = query<{ siteNo: number }>(
  'delete-unused-spellings',
  `delete from source_spellings
  where site_no = :siteNo::int and not spellings && array(
    select distinct source
    from sessions
    where sessions.site_no = :siteNo::int
  )`,
)

/** Deletes the spellings of sources that no session of a site has: those of an erased person may say who they are. */
export async function forgetUnusedSpellings(db: Queryable, siteNo: number): Promise<void> {
  await deleteUnused(db, { siteNo })
}

/** Returns the sources with all spellings of them that sessions of the site are stored with. */
export async function allSpellings(
  db: Queryable,
  siteNo: number,
  sources: readonly string[],
): Promise<string[]> {
  const digests = sources.map(foldedDigest)
  const rows = await readSpellings(db, { siteNos: digests.map(() => siteNo), digests })
  return [...new Set([...sources, ...rows.flatMap(({ spellings }) => spellings)])]
}
