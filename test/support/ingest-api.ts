import type { AddressInfo } from 'node:net'
import { createLeanIngest } from '../../src/http/lean-ingest.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createTrackerScript } from '../../src/http/tracker-script.ts'
import { createAdmission } from '../../src/infra/admission.ts'
import { createProducer } from '../../src/infra/queue/producer.ts'
import { connectPatientRedis } from '../../src/infra/redis.ts'
import type { Services } from '../../src/infra/services.ts'
import { createSubmitter } from '../../src/ingestion/edge/committer.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { createSiteKeys } from '../../src/ingestion/edge/site-keys.ts'
import { createSaltStore } from '../../src/ingestion/edge/visitor-ids.ts'
import type { HitBatch } from '../../src/ingestion/hit.ts'

/** What an HTTP worker serves before Express, beside the API that `startApi` serves. */
export async function startIngestApi(services: Services, redisUrl: string) {
  const { db, redis, config, log, metrics, limiter, disk, now } = services
  const subscriber = connectPatientRedis(redisUrl, log)
  const edge = {
    siteKeys: createSiteKeys(db, subscriber),
    salts: createSaltStore(redis, config.secretKey),
    geo: await openGeo(config.geoipDatabase),
    secretKey: config.secretKey,
  }
  const submit = createSubmitter(createAdmission(limiter, createProducer<HitBatch>(redis), now))
  const ingest = createLeanIngest({ edge, submit, config, log, metrics, disk, now })
  const script = createTrackerScript(config)
  const { server } = createHttpServer((request, response) => {
    if (!ingest.handle(request, response) && !script.handle(request, response)) response.writeHead(404).end()
  }, config)
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      subscriber.disconnect()
    },
  }
}
