// One PostgreSQL database with today's schema, and as many instances on it as a test wants.
import { connectPostgres, type PostgresClient } from '#db/postgres/client.server.ts'
import { freshDatabase, postgresForTests, postgresSchema } from './postgres.ts'

export interface SharedDatabase {
  /** Connections as another process has them, and its row in `member`. */
  instance(memberId: string): Promise<PostgresClient>
  /** Runs one statement that takes no values. */
  run(text: string): Promise<void>
  /** The rows of one statement. */
  rows<Row>(text: string): Promise<Row[]>
  close(): Promise<void>
}

/** Null = no PostgreSQL can be had here. */
export async function sharedDatabase(): Promise<SharedDatabase | null> {
  if ((await postgresForTests()).outcome === 'none') return null
  const { url, close } = await freshDatabase(postgresSchema())
  const open: PostgresClient[] = []
  const connect = () => {
    const client = connectPostgres(url)
    open.push(client)
    return client
  }
  const { db } = connect()
  const run = (text: string) =>
    db.read(function* () {
      yield* db.prepare(text).run()
    })()
  return {
    run,
    rows: <Row>(text: string) => db.read(() => db.prepare<[], Row>(text).all())(),
    async instance(memberId) {
      const client = connect()
      await run(`INSERT INTO member (id, process, version, started_at) VALUES ('${memberId}', '', '', 0)`)
      return client
    },
    async close() {
      await Promise.all(open.map((client) => client.close()))
      await close()
    },
  }
}
