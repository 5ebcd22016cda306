const endingWithWorker = new Set<number>()

/** Kills the processes when this worker ends, or is told to, before they were stopped; shared services never are. */
export function endWithWorker(pids: number[]): void {
  if (endingWithWorker.size === 0) {
    process.off('SIGTERM', end).once('SIGTERM', end).off('exit', killAll).once('exit', killAll)
  }
  for (const pid of pids) endingWithWorker.add(pid)
}

/** Forgets a process that its test ends itself. */
export const noLongerWithWorker = (pid: number) => endingWithWorker.delete(pid)

const end = () => process.exit()

function killAll(): void {
  for (const pid of endingWithWorker) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
