/** The door of the runtime as a package: `overmind-mcp/runtime`. What stands here is promised to other projects. */
export { createMemoryRateLimiter, type RateLimit, type RateLimiter } from '../http/rate-limit.ts';
export type { InboundCall, PresentedCredential } from '../http/inbound.ts';
export { systemClock, type Clock } from '../kernel/clock.ts';
export { AppError, type AppErrorOptions } from '../kernel/errors.ts';
export { createLogger, type Logger, type LoggerOptions } from '../kernel/logger.ts';
export type { CatalogContract, ToolContract, ResourceContract, PromptContract } from '../mcp/contract.ts';
export { createMcp, type DirectCall, type Mcp } from '../mcp/create-mcp.ts';
export type { McpGuards, McpOptions } from '../mcp/options.ts';
export type * from '../kernel/replay.ts';
export type * from '../mcp/ports.ts';
export { anyCaller, keyAuthenticator, type CallerKey } from './callers.ts';
export { startServer, type RunningServer, type ServerOptions } from './start-server.ts';
