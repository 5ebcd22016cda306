import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startDatabase } from '../../src/embedded/database.ts'
import { connectDb } from '../../src/infra/db.ts'
import { checkDatabase, migrate } from '../../src/infra/migrate.ts'
import { silentLog } from './log.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The files of a migrated embedded database, whatever server the tests run on. */
    databaseFolder: string
    /** The same as an archive. */
    databaseSnapshot: string
    /** The server that tests run on, and the name of its migrated template; empty when they run embedded. */
    databaseServer: string
    databaseTemplate: string
  }
}

/** Migrates one database, from which every test file gets a private copy. */
export default async function setup(project: TestProject) {
  const removeEmbedded = await setUpEmbedded(project)
  const server = process.env.TEST_DATABASE_URL
  const removeTemplate = await setUpServer(project, server)
  return async () => {
    removeEmbedded()
    await removeTemplate()
  }
}

async function setUpEmbedded(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-test-'))
  const snapshot = join(folder, 'migrated.tar')
  const dataDir = join(folder, 'data')
  const database = await startDatabase({ dataDir, log: silentLog })
  const db = connectDb(database.url, { max: 1, name: 'test-setup' })
  await checkDatabase(db)
  await migrate(db)
  await db.end()
  writeFileSync(snapshot, Buffer.from(await (await database.dump()).arrayBuffer()))
  await database.close()
  project.provide('databaseFolder', join(dataDir, 'database'))
  project.provide('databaseSnapshot', snapshot)
  return () => rmSync(folder, { recursive: true, force: true })
}

async function setUpServer(project: TestProject, server: string | undefined) {
  if (!server) {
    project.provide('databaseServer', '')
    project.provide('databaseTemplate', '')
    return () => {}
  }
  const template = `analytics_test_template_${process.pid}`
  const admin = connectDb(server, { max: 1, name: 'test-setup' })
  await admin`create database ${admin(template)}`
  const url = new URL(server)
  url.pathname = `/${template}`
  const db = connectDb(url.href, { max: 1, name: 'test-setup' })
  await checkDatabase(db)
  await migrate(db)
  await db.end()
  project.provide('databaseServer', server)
  project.provide('databaseTemplate', template)
  return async () => {
    await admin`drop database if exists ${admin(template)} with (force)`
    await admin.end()
  }
}
