import { CorridorError, InvalidRequestError, type Corridor } from 'corridor-sdk';
import { paymentCreateParams } from 'corridor-sdk/schemas';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import type { Pool } from 'pg';
import { findPayment, monthTotals, saveOrder, savePayment } from './database.ts';
import { statusOf } from './status.ts';

interface OrderRoute {
  Params: { orderId: string };
  Body: unknown;
}

/** The body of an order: that of a payment, without its reference, which is the id of the order. */
const orderSchema = paymentCreateParams.omit({ internalReference: true });

/** The HTTP API of this backend. Add your own authentication before you deploy it. */
export function createApp(corridor: Corridor, pool: Pool, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(options);
  // Without it, the connection of a request in progress stays open, and close() waits for it.
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onSend', async (_, reply) => void (closing && reply.header('connection', 'close')));

  // Pays an order once, however often it is called, and with whatever quotes: the order's id is the idempotency key.
  app.put<OrderRoute>('/orders/:orderId/payment', async (request, reply) => {
    const { orderId } = request.params;
    const { data, error } = orderSchema.safeParse(request.body);
    if (error !== undefined) {
      const issues = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      return reply.code(400).send({ error: 'invalid-order', issues });
    }
    const order = { ...data, internalReference: orderId };
    await saveOrder(pool, orderId);
    const { payment, created } = await corridor.payments.createOnce(order, { idempotencyKey: orderId });
    await savePayment(pool, orderId, payment);
    return reply.code(created ? 201 : 200).send({ orderId, paymentId: payment.id, status: payment.status });
  });

  app.get<OrderRoute>('/orders/:orderId/payment', async (request, reply) => {
    const payment = await findPayment(pool, request.params.orderId);
    return payment ?? reply.code(404).send({ error: 'not-found' });
  });

  // What was paid in a month such as 2026-11, by currency.
  app.get<{ Params: { month: string } }>('/ledger/:month', (request) => monthTotals(pool, request.params.month));

  // Whether this process can work; it does not call the platform, whose outage must not restart this process.
  app.get('/health', async (_, reply) => {
    try {
      await pool.query('select 1');
      return { status: 'ok' };
    } catch {
      return reply.code(503).send({ status: 'database unavailable' });
    }
  });

  app.setErrorHandler<FastifyError | CorridorError>((error, request, reply) => {
    const isCorridor = error instanceof CorridorError;
    const status = isCorridor ? statusOf(error) : (error.statusCode ?? 500);
    request.log[status >= 500 ? 'error' : 'warn']({ err: error }, 'failed');
    // Of a RateLimitError, and of a PaymentOutcomeUnknownError whose payment another call can find.
    if (isCorridor && error.retryAfterMs !== undefined)
      reply.header('retry-after', Math.ceil(error.retryAfterMs / 1_000));
    const body = {
      error: isCorridor ? error.code : 'error',
      ...(isCorridor && { outcome: error.outcome }),
      ...(error instanceof InvalidRequestError && { issues: error.issues }),
      // The payment may exist: the caller must ask for it, or call again with any quote.
      ...(status === 202 && { status: 'PENDING' }),
    };
    return reply.code(status).send(body);
  });

  return app;
}
