import { memoryOf } from './processes.ts'
import type { BenchService } from './service.ts'
import { figure } from './table.ts'

/** Resident memory of a service's processes and of its Redis, one number a process, as a line to print. */
export function memoryLine(service: BenchService, redisPid: number | undefined): string {
  const pids = service.hasOwnRedis || redisPid === undefined ? [] : [redisPid]
  const memory = memoryOf(service.pid, [{ role: 'redis', pids }])
  const roles = [...memory].map(([role, sizes]) => `${role} ${sizes.map(figure).join(' + ')}`)
  return `Resident memory then, MiB: ${roles.join(', ')}`
}
