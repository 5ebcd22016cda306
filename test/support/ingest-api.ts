import type { AddressInfo } from 'node:net'
import { createTrackerScript } from '../../src/http/assets/tracker-script.ts'
import { createIngestHandler } from '../../src/http/hits/ingest-handler.ts'
import { createReplayHandler } from '../../src/http/hits/replay-handler.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { createIngestBatcher } from '../../src/ingestion/edge/ingest-batcher.ts'
import { createSiteKeys } from '../../src/ingestion/edge/site-keys.ts'
import { createSaltStore } from '../../src/ingestion/edge/visitor-ids.ts'
import type { HitBatch } from '../../src/ingestion/hit.ts'
import { MAX_QUEUED_BYTES } from '../../src/ingestion/replays/bounds.ts'
import type { ReplayJob } from '../../src/ingestion/replays/replay-job.ts'
import { createBoundedQueue } from '../../src/platform/queue/bounded-queue.ts'
import { enqueueByLane } from '../../src/platform/queue/rate-limited-enqueue.ts'
import { connectPatientRedis } from '../../src/platform/redis/connect-redis.ts'
import type { Services } from '../../src/platform/services.ts'

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
  const batcher = createIngestBatcher(enqueueByLane<HitBatch>(redis, limiter, now))
  const ingest = createIngestHandler({ edge, batcher, config, log, metrics, disk, now })
  const queue = createBoundedQueue<ReplayJob>(redis, 'replays', MAX_QUEUED_BYTES)
  const replays = createReplayHandler({ edge, batcher, queue, config, log, metrics, disk, now })
  const script = createTrackerScript(config)
  const { server } = createHttpServer(
    (request, response) => {
      const isHandled = [ingest, replays, script].some(({ handle }) => handle(request, response))
      if (!isHandled) response.writeHead(404, { 'Content-Length': 0 }).end()
    },
    { maxConnections: config.maxConnections },
  )
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
