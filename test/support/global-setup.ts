import { randomUUID } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { connectDb } from '../../src/platform/db/connect.ts'
import { checkDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { embeddedTemplate } from './embedded-template.ts'
import { createDatabase, dropDatabase, freeze, serversBehind } from './test-servers.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The files of a migrated embedded database, whatever server the tests run on. */
    databaseFolder: string
    /** The server that tests run on, and the name of its migrated template; empty when they run embedded. */
    databaseServer: string
    databaseTemplate: string
  }
}

/** Migrates one database, from which every test file gets a private copy. */
export default async function setup(project: TestProject) {
  await setUpEmbedded(project)
  return setUpServer(project, process.env.TEST_DATABASE_URL)
}

/** Provides a migrated embedded database. */
async function setUpEmbedded(project: TestProject): Promise<void> {
  const { files, compiled } = await embeddedTemplate()
  // Test workers and the processes that they start inherit it.
  process.env.COMPILED_DATABASE = compiled
  project.provide('databaseFolder', files)
}

async function setUpServer(project: TestProject, server: string | undefined) {
  if (!server) {
    project.provide('databaseServer', '')
    project.provide('databaseTemplate', '')
    return () => {}
  }
  // The set-up runs once for each project.
  const template = `analytics_test_${randomUUID().slice(0, 8)}`
  const admin = connectDb(server, { max: 1, name: 'test-setup' })
  const servers = await serversBehind(server)
  await createDatabase(servers, template)
  const url = new URL(server)
  url.pathname = `/${template}`
  const db = connectDb(url.href, { max: 1, name: 'test-setup' })
  await checkDatabase(db)
  await migrate(db)
  await db.end()
  await freeze(servers, template)
  project.provide('databaseServer', server)
  project.provide('databaseTemplate', template)
  return async () => {
    // Shared databases are still there.
    const ours = await admin<{ datname: string }[]>`
      select datname from pg_database where datname = ${template} or starts_with(datname, ${`${template}_`})`
    for (const { datname } of ours) await dropDatabase(servers, datname)
    await admin.end()
  }
}
