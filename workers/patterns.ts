import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { patternTasks } from '../src/storage/patterns/pattern-tasks.ts'
import { NICENESS } from './lifecycle.ts'

/** Entry of a pattern thread: compares texts with patterns of users. It has no connection and runs at low priority. */
yieldToOtherThreads()

export default function run({ task, input }: { task: keyof typeof patternTasks; input: never }) {
  return { value: patternTasks[task](input) }
}

/** Linux has a priority for each thread; on other systems the thread keeps the priority of the process. */
function yieldToOtherThreads(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0 && thread !== process.pid) setPriority(thread, NICENESS)
  } catch {
    // The priority is optional: matching gives the same results without it.
  }
}
