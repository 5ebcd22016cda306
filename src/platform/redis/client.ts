import { Cluster, type Redis } from 'ioredis'

/** A connection to one Redis server, or the connections to the nodes of a Redis Cluster. */
export type RedisClient = Redis | Cluster

export const isCluster = (redis: RedisClient): redis is Cluster => redis instanceof Cluster

/** Returns a connection to each server that takes writes: the masters of a cluster, else the only one. */
export const mastersOf = (redis: RedisClient): Redis[] => (isCluster(redis) ? redis.nodes('master') : [redis])

/** Returns a connection to each server, replicas of a cluster included. */
export const serversOf = (redis: RedisClient): Redis[] => (isCluster(redis) ? redis.nodes('all') : [redis])
