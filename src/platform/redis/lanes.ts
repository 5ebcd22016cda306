import { isCluster, type RedisClient } from './client.ts'

/**
 * A lane: a queue of hits with the counters of the senders whose hits it takes. All its keys begin with its tag, so a Redis Cluster
 * keeps them on one node, and one command can count and queue. One server needs a single lane, whose tag is empty.
 */
export interface Lane {
  tag: string
}

/**
 * Hash tags of the lanes of a cluster. Their slots (CRC16 of the number in the braces, modulo 16,384) lie evenly, one in the middle of
 * each twelfth of the range: 1, 2, 3, 4, 6 or 12 masters of equal shares get the same number of lanes.
 * Source: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export const CLUSTER_TAGS = [117, 69, 58, 112, 68, 59, 111, 9, 56, 110, 39, 57].map(name => `{${name}}`)

const SINGLE: readonly Lane[] = [{ tag: '' }]
const OF_CLUSTER: readonly Lane[] = CLUSTER_TAGS.map(tag => ({ tag }))

/** Returns all lanes of a Redis. */
export const lanesOf = (redis: RedisClient): readonly Lane[] => (isCluster(redis) ? OF_CLUSTER : SINGLE)

/** Returns the index of the lane of a sender: always the same, or its requests would be counted apart. */
export function laneIndexOf(sender: string, lanes: number): number {
  if (lanes === 1) return 0
  // FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/
  let hash = 0x811c9dc5
  for (let index = 0; index < sender.length; index++) {
    hash = Math.imul(hash ^ sender.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % lanes
}
