import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { isCluster, type RedisClient, serversOf } from './client.ts'

const ASK = 'metrics-ask'
const answerChannel = (id: string) => `metrics-answer:${id}`
/** The result leaves out a process that does not answer within this time. */
const PATIENCE_MS = 1_000

/**
 * Answers requests for the metrics of this process, and collects those of all processes. It uses publish and subscribe of
 * Redis, since processes may have different parents or run on different hosts; Redis stores nothing of it.
 */
export function exchangeMetrics({
  redis,
  subscriber,
  registry,
}: {
  redis: RedisClient
  subscriber: RedisClient
  registry: Registry
}) {
  const asked = new Map<string, (answer: string) => void>()

  subscriber.on('message', (channel, message) => {
    if (channel === ASK) {
      void registry
        .getMetricsAsJSON()
        .then(metrics => redis.publish(answerChannel(message), JSON.stringify(metrics)))
        .catch(() => {})
    }
    asked.get(channel)?.(message)
  })
  void subscriber.subscribe(ASK).catch(() => {})

  return {
    /** Returns the Prometheus text of all processes of all hosts. */
    async collect() {
      const channel = answerChannel(randomUUID())
      const answers: string[] = []
      let expected = Number.POSITIVE_INFINITY
      let finish = () => {}
      const complete = new Promise<void>(resolve => {
        finish = resolve
      })
      const check = () => answers.length >= expected && finish()
      asked.set(channel, answer => {
        answers.push(answer)
        check()
      })
      const timer = setTimeout(finish, PATIENCE_MS)
      try {
        await subscriber.subscribe(channel)
        expected = await publishedTo(redis, ASK, channel.slice(answerChannel('').length))
        check()
        await complete
      } finally {
        clearTimeout(timer)
        asked.delete(channel)
        void subscriber.unsubscribe(channel).catch(() => {})
      }
      return AggregatorRegistry.aggregate(answers.map(answer => JSON.parse(answer))).metrics()
    },
  }
}

export type MetricsExchange = ReturnType<typeof exchangeMetrics>

/** Publishes a message, and returns how many subscribers get it. A server of a cluster knows only its own subscribers. */
async function publishedTo(redis: RedisClient, channel: string, message: string): Promise<number> {
  if (!isCluster(redis)) return redis.publish(channel, message)
  const answers = await Promise.all(serversOf(redis).map(server => server.pubsub('NUMSUB', channel)))
  await redis.publish(channel, message)
  return answers.reduce<number>((sum, answer) => sum + Number((answer as unknown[])[1]), 0)
}
