import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** How often the lag of the event loop is measured. By default it is each 10 ms, which takes 0.4 % of a core in each process. */
const LAG_EVERY_MS = 100

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Returns the metrics of this process.
 * @param role kind of this process; a label of all its metrics, like the pid
 */
export function createMetrics(role: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ role, pid: String(process.pid) })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS })
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
    unreplicated: counter(
      'commits_unreplicated_total',
      'Commits that the primary confirmed without its synchronous standby, since the wait was cancelled',
    ),
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
