// Every address of the product and the module that answers it. What is not here does not exist.
// Plain entries instead of the route() helper: the server reads this table too, to log patterns instead of addresses.
import type { RouteConfigEntry } from '@remix-run/route-config'

const page = (path: string, name: string, id?: string): RouteConfigEntry => ({ path, file: `routes/pages/${name}`, ...(id ? { id } : {}) })
const at = (path: string, file: string): RouteConfigEntry => ({ path, file: `routes/${file}` })

export default [
  { index: true, file: 'routes/pages/manager.tsx', id: 'start' },
  page('fieldhook', 'manager.tsx', 'manager'),
  at('healthz', 'ops/healthz.ts'),
  at('readyz', 'ops/readyz.ts'),
] satisfies RouteConfigEntry[]
