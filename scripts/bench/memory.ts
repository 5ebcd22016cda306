import { memoryOf } from './processes.ts'
import type { BenchService } from './service.ts'
import { figure } from './table.ts'

/** Returns a line with the resident memory of each process of a service and of its Redis. */
export function memoryLine(service: BenchService, redisPid: number | undefined): string {
  const pids = service.hasOwnRedis || redisPid === undefined ? [] : [redisPid]
  const memory = memoryOf(service.pid, [{ role: 'redis', pids }])
  const roles = [...memory].map(([role, sizes]) => `${role} ${sizes.map(figure).join(' + ')}`)
  return `Resident memory then, MiB: ${roles.join(', ')}`
}
