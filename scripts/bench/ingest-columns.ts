import type { IngestRun } from './measure-ingest.ts'

interface Column {
  name: string
  value: (run: IngestRun) => number | undefined
  /** The floor's value for the ratio, when it is a different one. */
  floorValue?: (run: IngestRun) => number | undefined
  hasRatio?: boolean
}

export const ROLES = ['http', 'ingest', 'redis', 'database', 'primary']

/** What is shown of a load. */
export const INGEST_COLUMNS: readonly Column[] = [
  { name: 'accepted/s', value: run => run.acceptedPerSecond, hasRatio: true },
  // Compared with the accepted hits of the floor, which stores none.
  {
    name: 'stored/s',
    value: run => run.storedPerSecond,
    floorValue: run => run.acceptedPerSecond,
    hasRatio: true,
  },
  { name: 'waiting', value: run => run.waiting },
  { name: 'p50 ms', value: run => run.wrk.p50Ms, hasRatio: true },
  { name: 'p99 ms', value: run => run.wrk.p99Ms, hasRatio: true },
  { name: 'refused', value: run => run.wrk.refused + run.wrk.broken },
  {
    name: 'CPU s/1,000',
    value: run => [...run.cpu.values()].reduce((sum, seconds) => sum + seconds, 0),
    hasRatio: true,
  },
  ...ROLES.map((role): Column => ({ name: role, value: run => sumOf(cpuOf(run, role)) })),
  { name: 'busiest redis', value: run => Math.max(...cpuOf(run, 'redis')) },
]

/** CPU seconds of each process or kind of process with a role; the masters of a cluster have a number after it. */
const cpuOf = ({ cpu }: IngestRun, role: string): number[] =>
  [...cpu].filter(([name]) => name === role || name.startsWith(`${role} `)).map(([, seconds]) => seconds)

/** @returns undefined without values */
const sumOf = (values: number[]) =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value)
