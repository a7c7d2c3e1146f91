// The forms' schemas and their library. A separate chunk, loaded when typing begins: as large as the rest of the page.
import '#app/ui/zod-without-eval.ts'
import { parseWithZod } from '@conform-to/zod/v4'
import type { z } from 'zod'
import type { EndpointKind } from '#app/domain/endpoint-key.ts'
import { forwardingRuleChange, forwardingRuleForm, webhookChange, webhookForm } from '../../endpoint.ts'

const SCHEMAS: Record<EndpointKind, Record<'create' | 'edit', z.ZodType>> = {
  webhook: { create: webhookForm, edit: webhookChange },
  extra: { create: forwardingRuleForm, edit: forwardingRuleChange },
}

export function checkOf(kind: EndpointKind, act: 'create' | 'edit') {
  return (formData: FormData) => parseWithZod(formData, { schema: SCHEMAS[kind][act] })
}
