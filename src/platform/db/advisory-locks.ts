/**
 * First key of the advisory locks that transactions take, each until its end. One lock for each site or partition has the site's
 * or the partition's number as its second key. The numbers are arbitrary, but the same in all processes.
 */
export const ADVISORY_LOCKS = {
  /** Applying migrations. */
  migrations: 7_116_501,
  /** Storing hits of a partition (second key). */
  partition: 7_116_502,
  /** The first sessions of visitors at a site (second key): shared while they are stored, exclusive while payments wait for them. */
  newcomers: 7_116_503,
  /** Writing daily rollups of a site (second key). */
  dailyRollups: 7_116_504,
  /** Creating the team "Default". */
  bootstrap: 7_116_505,
  /** Storing and deleting session replays of a site (second key). */
  replays: 7_116_506,
  /** Claiming an import. */
  imports: 7_116_507,
} as const
