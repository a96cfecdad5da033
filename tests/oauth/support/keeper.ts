interface KeptTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** What both official libraries want from a program: a place to keep things and a way to open a browser. */
export class Keeper {
  readonly redirectUrl: string;
  readonly clientMetadata: {
    readonly client_name: string;
    redirect_uris: string[];
    grant_types: string[];
    response_types: string[];
    token_endpoint_auth_method: string;
  };
  /** Where the library wanted the browser to go, last. */
  asked: URL | undefined;
  #client: { client_id: string } | undefined;
  #tokens: KeptTokens | undefined;
  #verifier = '';
  #discovery: unknown;

  constructor(redirectUrl: string, clientName = 'Official client') {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: clientName,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return 'state-of-the-library';
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: { client_id: string }): void {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: KeptTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: unknown): void {
    this.#discovery = state;
  }
  discoveryState() {
    // because it is what the library gave before
    return this.#discovery as never;
  }
  forgetTokens(): void {
    this.#tokens = undefined;
  }
}
