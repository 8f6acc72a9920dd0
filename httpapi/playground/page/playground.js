"use strict";

// Starts GraphiQL with the settings that the page carries as data:
// its Content-Security-Policy runs no inline script.
(() => {
  const settings = JSON.parse(document.getElementById("settings").textContent);

  const endpoint = new URL(settings.endpoint, location.href);
  const webSocket = new URL(endpoint);
  webSocket.protocol = webSocket.protocol.replace("http", "ws");

  // Another project's GraphiQL, seen earlier on the same host and port, has left its tabs in localStorage.
  // These are ours alone. Where the browser stores nothing for us, they last as long as the page.
  function storage() {
    try {
      localStorage.getItem("");
      return GraphiQL.createLocalStorage({ namespace: "broadsheet" });
    } catch {
      return null;
    }
  }

  const props = {
    fetcher: GraphiQL.createFetcher({
      url: endpoint.href,
      subscriptionUrl: webSocket.href,
      enableIncrementalDelivery: false,
    }),
    storage: storage(),
    defaultTabs: settings.tabs,
    defaultHeaders: settings.headers,
    // A development token is a name. Any other is a secret, which has no place in localStorage.
    shouldPersistHeaders: settings.headers !== "",
    defaultEditorToolsVisibility: settings.headers === "" ? true : "headers",
  };

  const logo = React.createElement(GraphiQL.Logo, null, "Broadsheet");
  ReactDOM.createRoot(document.getElementById("playground")).render(React.createElement(GraphiQL, props, logo));
})();
