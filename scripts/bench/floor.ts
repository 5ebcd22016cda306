import cluster from 'node:cluster'
import { createServer, type RequestListener } from 'node:http'
import { parseArgs } from 'node:util'
import express from 'express'

// Upper bound of the machine: servers that only read the body, parse its JSON and answer 202.
// Arguments: --kind node|express --port N --workers N

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'node' },
    port: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1' },
  },
})

if (cluster.isPrimary) {
  for (let worker = 0; worker < Number(values.workers); worker++) cluster.fork()
  process.once('SIGTERM', () => cluster.disconnect(() => process.exit(0)))
} else {
  createServer(values.kind === 'express' ? withExpress() : withNothing()).listen(
    Number(values.port),
    '127.0.0.1',
  )
}

function withNothing(): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (body !== '') JSON.parse(body)
      response.writeHead(body === '' ? 200 : 202).end()
    })
  }
}

function withExpress(): RequestListener {
  const app = express()
  app.use(express.json())
  app.get('/', (_request, response) => void response.end())
  app.post('/api/collect', (_request, response) => void response.status(202).end())
  return app
}
