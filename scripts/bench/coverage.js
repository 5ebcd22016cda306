// Loaded into each process and thread of a service (`node --import`): says which functions have run since the last time that it was asked.
import { readFileSync, watch, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const folder = process.env.COVERAGE_FOLDER
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

let asked = ''
watch(folder, (_, name) => {
  if (name !== 'asked') return
  const take = readFileSync(join(folder, name), 'utf8')
  if (take === asked || take === '') return
  asked = take
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error
    const ran = coverage.result
      .filter(({ url }) => url.includes('/dist/') && !url.includes('/node_modules/'))
      .map(({ url, functions }) => ({
        url,
        starts: functions
          .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
          .map(({ ranges }) => ranges[0].startOffset),
      }))
    writeFileSync(join(folder, `${take}.${process.pid}-${threadId}.json`), JSON.stringify(ran))
  })
}).unref()
