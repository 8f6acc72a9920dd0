go mod init example.org/blogclient
go get -tool github.com/Khan/genqlient@v0.8.1 golang.org/x/tools@v0.40.0 # with the older one that genqlient asks for it does not compile
go get github.com/Khan/genqlient/graphql@v0.8.1 github.com/vektah/gqlparser/v2/gqlerror@v2.5.64
