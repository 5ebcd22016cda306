import { type Db, statement } from '../../infra/db.ts'

const MINUTE = 60_000
const BUCKET_MS = 15 * MINUTE
/** How far behind now folds end at least: most hits are stored within seconds, and a late one makes its day dirty. */
const LAG_MS = 15 * MINUTE

const moveHorizon = statement('move-horizon')
const readHorizon = statement<{ horizon: number | null; refreshedTo: number | null }>('read-horizon')

/**
 * Moves the horizon of folds up to `now` less its lag. Whoever writes below it from here on leaves a mark.
 * @returns where it is, and up to which one all days that go on were folded; Unix milliseconds
 */
export async function horizonOf(db: Db, now: Date): Promise<{ horizon: number; refreshedTo: number | null }> {
  const target = Math.floor((now.getTime() - LAG_MS) / BUCKET_MS) * BUCKET_MS
  await moveHorizon(db, 'folds', new Date(target))
  const [state] = await readHorizon(db, 'folds')
  return { horizon: state!.horizon!, refreshedTo: state!.refreshedTo }
}
