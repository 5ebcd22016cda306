import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

const ASK = 'metrics-ask'
const answerChannel = (id: string) => `metrics-answer:${id}`
/** The result leaves out a process that does not answer within this time. */
const PATIENCE_MS = 1_000

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Returns the metrics of this process.
 * @param role kind of this process; a label of all its metrics, like the pid
 */
export function createMetrics(role: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ role, pid: String(process.pid) })
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  return {
    registry,
    /** Seconds from the first byte of a request to the last byte of its answer. */
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by route pattern and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    accepted: counter('hits_accepted_total', 'Hits answered 202 that wait to be stored', 'endpoint'),
    dropped: counter('hits_dropped_total', 'Hits that are deliberately not recorded, by reason', 'reason'),
    stored: counter('hits_stored_total', 'Hits written to the database'),
    repeated: counter('hits_repeated_total', 'Hits that were delivered again and were there already'),
    deadLetters: counter('hits_dead_letters_total', 'Hits that could not be stored and lie in dead_letters'),
    others: counter(
      'hits_other_total',
      'Hits with a value beyond the bound of distinct ones of a site and day, counted under (other), by its kind',
      'kind',
    ),
    replays: counter('replay_chunks_total', 'Chunks of session replays, by what became of them', 'outcome'),
    batchSize: new Histogram({
      name: 'store_batch_hits',
      help: 'Hits of one storing transaction',
      buckets: [1, 10, 100, 500, 1_000, 2_500, 5_000],
      registers,
    }),
  }
}

/**
 * Answers requests for the metrics of this process, and collects those of all processes. It uses publish and subscribe of
 * Redis, since processes may have different parents or run on different hosts; Redis stores nothing of it.
 */
export function exchangeMetrics({
  redis,
  subscriber,
  registry,
}: {
  redis: Redis
  subscriber: Redis
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
        // publish returns the number of subscribers that received the request.
        expected = await redis.publish(ASK, channel.slice(answerChannel('').length))
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
