import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { patternTasks } from '../src/rollups/patterns/tasks.ts'
import { NICENESS } from './niceness.ts'

/** A pattern thread: compares texts with what users write. It has no connection, and yields to whoever has work. */
yieldToOtherThreads()

export default function run({ task, input }: { task: keyof typeof patternTasks; input: never }) {
  return { value: patternTasks[task](input) }
}

/** Linux knows a priority for each thread; elsewhere it stays that of the process. */
function yieldToOtherThreads(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0 && thread !== process.pid) setPriority(thread, NICENESS)
  } catch {
    // Matching is right at any priority.
  }
}
